// Package status reports the state of a peer to users and programs: the page, the metrics and the status of
// -http, and the lines of -events.
//
// A [Report] is the data of the pages: the host fills one in for each request, and this package does not access
// the host. [History] and [Numbers] hold what a host records for its reports.
package status
