/** The bundled renderer (render.mjs): what the server needs to check and publish content. */
export { check, complete, pickEditable } from '../schema/draft.ts'
export { describeEditor } from '../schema/editor.ts'
export { render } from './render.tsx'
