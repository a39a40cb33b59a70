// Testreport reads what go test -json writes and prints it as go test does, without what passed. At the end it lists the
// tests that were skipped, with their reasons, and the slowest ones. It exits with 1 if a test failed, or was skipped for a reason that no line
// of the file of known reasons matches: a test that cannot run any more must not look like one that passed.
//
//	go test -json work | go run ./internal/testreport .ci/skips
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json PACKAGES | testreport FILE-OF-KNOWN-REASONS")
		os.Exit(2)
	}
	ok, err := report(os.Args[1], os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// report prints what a run of go test says, and reports whether all is well.
func report(reasonsFile string, in io.Reader, out io.Writer) (bool, error) {
	known, err := readReasons(reasonsFile)
	if err != nil {
		return false, err
	}
	r := newRun(out)
	if err := r.read(in); err != nil {
		return false, err
	}
	unknown := r.printSkips(known)
	r.printSlow(30)
	return !r.failed && !unknown, r.out.Flush()
}
