// Package status is how a peer tells people and programs how it is doing: the page, the
// metrics and the status that -http serves, and the lines of -events.
//
// A [Report] is all that the pages tell, as data: the host fills one in when somebody asks,
// and nothing here looks into the host. [History] and [Numbers] are what a host remembers
// for its reports.
package status
