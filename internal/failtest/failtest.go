// Package failtest runs tests that are to fail, for the tests of packages that help tests.
package failtest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// Result is what became of a test.
type Result struct {
	Errors  []string // its failures, in order
	Skipped string   // why it was skipped; "": it was not
	Ended   bool     // a failure ended it
}

// Run runs a test until it ends. Its failures are in the result, and are not those of t, which is the test for everything
// else, such as temporary folders and the clean-up.
func Run(t testing.TB, test func(testing.TB)) Result {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // FailNow and SkipNow end a goroutine
		defer close(done)
		test(r)
	}()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result
}

// recorder is a test whose failures are recorded.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	failed bool
	result Result
}

func (r *recorder) Error(args ...any) { r.fail(fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) { r.fail(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	r.FailNow()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.FailNow()
}

func (r *recorder) FailNow() {
	r.Fail()
	r.mu.Lock()
	r.result.Ended = true
	r.mu.Unlock()
	runtime.Goexit()
}

func (r *recorder) Skip(args ...any) { r.skip(fmt.Sprint(args...)) }

func (r *recorder) Skipf(format string, args ...any) { r.skip(fmt.Sprintf(format, args...)) }

func (r *recorder) SkipNow() { r.skip("no reason") }

func (r *recorder) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) Skipped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result.Skipped != ""
}

func (r *recorder) fail(message string) {
	r.Fail()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Errors = append(r.result.Errors, message)
}

func (r *recorder) skip(why string) {
	r.mu.Lock()
	r.result.Skipped = why
	r.mu.Unlock()
	runtime.Goexit()
}
