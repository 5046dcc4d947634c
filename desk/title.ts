/** The company's name is built into the page. */
export const title = document.title
