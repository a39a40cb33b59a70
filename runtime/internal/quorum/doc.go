// Package quorum decides when a gather of the contributions of several peers has enough of them, and when it never
// will. It knows peers by numbers and contributions by what became of them, and neither sets timers nor reports
// events.
package quorum
