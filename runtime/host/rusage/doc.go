// Package rusage says what the process has used of the machine.
package rusage
