// Package spooltest is a spool for tests: in memory that nobody may look into, with counted
// shares.
package spooltest
