/** Maximum number of client reports per workspace. */
export const REPORTS_MAX = 200
export const REPORT_TITLE_MAX = 100

/** Days until a client report expires: the default and the maximum. */
export const REPORT_DAYS_VALID = 90
export const REPORT_DAYS_MAX = 365

/** The most days, campaigns and people that a client report shows. */
export const REPORT_DAYS_SHOWN = 366
export const REPORT_CAMPAIGNS_MAX = 50
export const REPORT_PEOPLE_MAX = 500
