// Take the last 10 digits, because the number may start with the country code.
export const formatTel = (phone: string) => `+1${phone.replace(/\D/g, '').slice(-10)}`
export const formatCallHref = (phone: string) => `tel:${formatTel(phone)}`
