package browsertest

import (
	"fmt"
	"runtime"
	"testing"
)

// recorder is a test whose failures are recorded.
type recorder struct {
	testing.TB
	failures []string
	skipped  string
	ended    bool // by a failure
}

// run runs what a test does, until it ends.
func (r *recorder) run(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.ended = true
	runtime.Goexit()
}

func (r *recorder) Skip(args ...any) {
	r.skipped = fmt.Sprint(args...)
	runtime.Goexit()
}
