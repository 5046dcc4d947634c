import { company } from '../content.ts'

/** Serving Minneapolis and Saint Paul */
export const formatArea = () =>
  `${company.areaLabel} ${new Intl.ListFormat('en').format(company.areaServed)}`
