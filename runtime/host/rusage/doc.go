// Package rusage reports the resource usage of the process.
package rusage
