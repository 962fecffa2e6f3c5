/** Maximum number of client reports per workspace. */
export const REPORTS_MAX = 200
export const REPORT_TITLE_MAX = 100

/** Days until a client report expires by default. */
export const REPORT_DAYS_VALID = 90
/** Maximum number of days until a client report expires. */
export const REPORT_DAYS_MAX = 365

/** Maximum number of days that a client report shows. */
export const REPORT_DAYS_SHOWN = 366
/** Maximum number of campaigns that a client report shows. */
export const REPORT_CAMPAIGNS_MAX = 50
/** Maximum number of people that a client report shows. */
export const REPORT_PEOPLE_MAX = 500
