// Package spooltest is a spool for tests. Its values can only be read through their methods, and have a
// reference count.
package spooltest
