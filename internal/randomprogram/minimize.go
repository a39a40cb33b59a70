package randomprogram

import (
	"slices"
	"strings"
)

// Minimize removes steps from a program as long as it fails at the same stage, in the same way.
func Minimize(f *Failure, t *Typechecker) *Failure {
	for removed := true; removed; {
		removed = false
		for i := len(f.Program.Steps) - 1; i >= 0; i-- {
			p := f.Program
			id := p.Steps[i].ID
			p.Steps = slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return s.ID == id })
			if _, g := Check(p, t); g != nil && g.Stage == f.Stage && kind(g) == kind(f) {
				f, removed = g, true
				break
			}
		}
	}
	return f
}

// kind returns the first line of an error without its names and numbers.
func kind(f *Failure) string {
	line, _, _ := strings.Cut(f.Err.Error(), "\n")
	if f.Stage == Evaluated || f.Stage == Running {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, line)
}
