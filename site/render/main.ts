/** The bundled renderer (render.mjs), with which the server checks and publishes content. */
export { check, complete, pickEditable } from '../schema/draft.ts'
export { describeEditor } from '../schema/editor.ts'
export { render } from './render.tsx'
