// Package enginetest has nodes run programs that were written by hand, and looks at them from
// outside: what they say to each other and to their host, as golden transcripts; what a
// snapshot brings back; what an insider can do; and what a message costs. It holds tests and
// benchmarks alone.
package enginetest
