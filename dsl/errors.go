package dsl

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Error is a mistake in a program.
type Error struct {
	Pos string // the author's file:line
	Msg string
}

// Error returns the place of the mistake, if it is known, and the message.
func (e *Error) Error() string {
	if e.Pos == "" {
		return e.Msg
	}
	return e.Pos + ": " + e.Msg
}

// Errors are all mistakes in a program, in the order in which they were found.
type Errors []*Error

// Error returns a line for each mistake.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, x := range e {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// pos is a line in the author's source. The short form is for the artifact, which must not depend on the
// location of the sources; the long form is for messages.
type pos struct{ short, long string }

// here returns the innermost line outside of this package and the standard library.
func here() pos {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	callers, _ := frames.Next()
	library := strings.TrimSuffix(callers.File, "runtime/extern.go") // "" with -trimpath
	self, _ := frames.Next()
	layers := path.Join(path.Dir(self.File), "nn")
	for {
		f, more := frames.Next()
		standard := strings.HasPrefix(f.Function, "reflect.") || strings.HasPrefix(f.Function, "runtime.") || isStandard(f.File, library)
		layer := path.Dir(f.File) == layers && !strings.HasSuffix(f.File, "_test.go") // a function literal has the name of what it is inlined into
		if f.File != "" && !ours(f.Function) && !standard && !layer {
			return pos{
				short: fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(f.File)), filepath.Base(f.File), f.Line),
				long:  fmt.Sprintf("%s:%d", shown(f.File), f.Line),
			}
		}
		if !more {
			return pos{}
		}
	}
}

// isStandard reports whether a file belongs to the standard library, which lies in the folder library.
// With -trimpath the folder is "", and a file of the standard library is a relative path that begins
// with no host name, and not with the path of the author's module.
func isStandard(file, library string) bool {
	if library != "" {
		return strings.HasPrefix(file, library)
	}
	if author := authorModule(); author != "" && strings.HasPrefix(file, author+"/") {
		return false
	}
	first, _, _ := strings.Cut(file, "/")
	return !filepath.IsAbs(file) && !strings.Contains(first, ".")
}

// authorModule returns the path of the module whose program runs, or "".
var authorModule = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Path
})

// ours reports whether a function belongs to this package or to nn, except for their tests.
func ours(function string) bool {
	return strings.HasPrefix(function, "github.com/bbgen/bbgen/dsl.") || strings.HasPrefix(function, "github.com/bbgen/bbgen/dsl/nn.")
}

// shown returns a file name for messages: relative to the working directory if the file is below it.
func shown(file string) string {
	dir, err := os.Getwd()
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || strings.HasPrefix(rel, "..") {
		return file
	}
	return filepath.ToSlash(rel)
}
