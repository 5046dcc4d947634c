import { createTransport } from 'nodemailer'

/** The mail server of SMTP_URL, with ends to every wait; what is sent can name no file and no address to fetch. */
export const openMailServer = (url: string) =>
  createTransport({
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
