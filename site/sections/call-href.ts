import { company } from '../content.ts'

export const telNumber = `+1${company.phone.replace(/\D/g, '')}`
export const callHref = `tel:${telNumber}`
