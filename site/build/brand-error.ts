/** What the owner can fix in site/brand/. Its stack is its sentence: that is all that Vite prints of it. */
export class BrandError extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.stack = sentence
  }
}
