// Package fault explains failures of generated code: it converts a panic to an error that names the node of the
// model which the panicking line computes.
package fault

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Site is a call in generated code that can fail because of data.
type Site struct {
	Node, Op string // the node that it computes
	At       string // file:line, and then :line for each call in that file that leads there
}

// Recovered converts a panic of a run to an error that names the node. It is called while the panic is in
// progress: the stack gives the line of generated code, and the sites give the node of that line. If no site
// has that line, the error names the line itself, unless the kernel's message explains the failure.
func Recovered(model string, r any, sites ...Site) error {
	err, ok := r.(error)
	if !ok {
		err = fmt.Errorf("%v", r)
	}
	generated := trailOf(r)
	ours := !is[runtime.Error](err)
	if !ours {
		err = &goError{generated.kernel, err}
	}
	if s := generated.site(sites); s != nil {
		return &nodeError{model, *s, err}
	}
	if ours && ok {
		return fmt.Errorf("%s: %w", model, err)
	}
	return fmt.Errorf("%s: %w%s", model, err, generated.where())
}

// Catch converts a panic to the error of the function that defers it, as [Recovered] does.
func Catch(model string, err *error, sites ...Site) {
	if r := recover(); r != nil {
		*err = Recovered(model, r, sites...)
	}
}

// IsData reports whether a run has failed because of its data: the error names a node that
// cannot compute them.
func IsData(err error) bool { return is[*nodeError](err) }

// nodeError reports why a node could not be computed.
type nodeError struct {
	model string
	Site
	err error
}

func (e *nodeError) Error() string {
	// A kernel's message usually begins with its operator.
	return fmt.Sprintf("%s: node %q (%s): %s", e.model, e.Node, e.Op, strings.TrimPrefix(e.err.Error(), e.Op+": "))
}

func (e *nodeError) Unwrap() error { return e.err }

// goError is a run-time error of Go in a kernel.
type goError struct {
	kernel string // cpu.Gather, or "" outside of kernels
	err    error
}

func (e *goError) Error() string {
	text := strings.TrimPrefix(e.err.Error(), "runtime error: ")
	if e.kernel == "" {
		return text
	}
	return e.kernel + ": " + text
}

func (e *goError) Unwrap() error { return e.err }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// trail is the innermost line of generated code on a stack, and the calling lines in the same file, from the
// inside out.
type trail struct {
	file   string
	lines  []int
	kernel string // the kernel that the innermost line calls: cpu.Gather
}

// trailOf returns the trail of the panic in progress. If a kernel's caller has re-raised the panic of another
// thread, that is the stack of the thread, followed by the caller's own.
func trailOf(r any) *trail {
	t := &trail{}
	if there, ok := r.(interface{ Stack() []uintptr }); ok {
		t.add(there.Stack())
	}
	pc := make([]uintptr, 64)
	t.add(panicking(pc[:runtime.Callers(2, pc)]))
	return t
}

// panicking returns the part of a stack that panics, without the deferred call that inspects it.
func panicking(stack []uintptr) []uintptr {
	for i, pc := range stack {
		if f := runtime.FuncForPC(pc); f != nil && f.Name() == "runtime.gopanic" {
			return stack[i+1:]
		}
	}
	return nil
}

func (t *trail) add(stack []uintptr) {
	if len(stack) == 0 {
		return
	}
	frames := runtime.CallersFrames(stack)
	var f, called runtime.Frame
	for more := true; more; called = f {
		f, more = frames.Next()
		switch {
		case !strings.HasSuffix(f.File, ".bb.go"):
		case t.file == "" || t.file == f.File:
			if name := path.Base(called.Function); t.file == "" && strings.Contains(called.Function, "/runtime/cpu") {
				t.kernel, _, _ = strings.Cut(name, "[")
			}
			t.file = f.File
			t.lines = append(t.lines, f.Line)
		default:
			return
		}
	}
}

// site returns the site that matches most lines at the beginning of the trail, or nil.
func (t *trail) site(sites []Site) (found *Site) {
	at := t.text(len(t.lines)) + ":"
	for i := range sites {
		if s := &sites[i]; strings.HasPrefix(at, s.At+":") && (found == nil || len(s.At) > len(found.At)) {
			found = s
		}
	}
	return found
}

// text returns the file and n lines: graph.bb.go:80:61:37.
func (t *trail) text(n int) string {
	s := path.Base(t.file)
	for _, l := range t.lines[:n] {
		s += ":" + strconv.Itoa(l)
	}
	return s
}

func (t *trail) where() string {
	if t.file == "" {
		return ""
	}
	return " (" + t.text(1) + ")"
}
