import { company } from '../content.ts'

// The number may start with the country code.
export const telNumber = `+1${company.phone.replace(/\D/g, '').slice(-10)}`
export const callHref = `tel:${telNumber}`
