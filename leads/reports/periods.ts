/** The periods of the report and of the list of leads, in days. */
export const reportDays = ['7', '30', '90']
