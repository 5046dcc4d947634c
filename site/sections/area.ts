import type { Content } from '../schema/content-schema.ts'

/** Example: “Serving Minneapolis and Saint Paul”. */
export const formatArea = ({ areaLabel, areaServed }: Content['company']) =>
  `${areaLabel} ${new Intl.ListFormat('en').format(areaServed)}`
