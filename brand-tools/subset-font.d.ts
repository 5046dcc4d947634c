// The package ships no types; these are the parts used here.
declare module 'subset-font' {
  function subsetFont(
    font: Buffer,
    text: string,
    options: {
      targetFormat: 'woff2' | 'sfnt'
      variationAxes: Record<string, number | { min: number; max: number }>
      keepFeatures?: string[]
      noHinting?: boolean
    },
  ): Promise<Buffer>
  export = subsetFont
}
