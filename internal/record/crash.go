package record

import "strings"

// Crash is an unrecovered panic of the author's code.
type Crash struct {
	Pos   string // the author's file:line; "" if the stack has no line of the author's module
	Msg   string
	Stack string // as Go printed it
}

// Error returns the message of the panic, after its place if that is known. The stack is not part of it.
func (c *Crash) Error() string {
	if c.Pos == "" {
		return c.Msg
	}
	return c.Pos + ": " + c.Msg
}

// crash finds the panic in the output of a program that has ended, or returns nil.
func (s *source) crash(said string) *Crash {
	msg, stack := message(said)
	if stack == "" {
		return nil
	}
	return &Crash{s.line(stack), msg, stack}
}

// message returns the text of the panic before the stacks.
func message(said string) (msg, stack string) {
	lines := strings.Split(said, "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "panic: "), strings.HasPrefix(l, "fatal error: "):
			msg = l
		case msg != "" && isStack(l):
			return msg, strings.Join(lines[i:], "\n")
		case msg != "" && l != "" && !strings.HasPrefix(l, "[signal "):
			msg += "\n" + l // of a message with several lines
		}
	}
	return "", ""
}

func isStack(line string) bool {
	return strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, ":") || line == "runtime stack:"
}

// line returns the innermost line of the author's module. A stack has two lines for each
// call: the function, and indented file:line and more.
func (s *source) line(stack string) string {
	function := ""
	for l := range strings.Lines(stack) {
		at, indented := strings.CutPrefix(strings.TrimRight(l, "\n"), "\t")
		if !indented {
			function = strings.TrimPrefix(at, "created by ")
			continue
		}
		if !s.wrote(function) {
			continue
		}
		at, _, _ = strings.Cut(at, " ")
		return FromHere(at)
	}
	return ""
}

// wrote reports whether a function belongs to the author's module.
func (s *source) wrote(function string) bool {
	for _, path := range []string{s.path, s.module} {
		rest, ok := strings.CutPrefix(function, path)
		if ok && path != "" && (rest[:min(1, len(rest))] == "." || strings.HasPrefix(rest, "/")) {
			return !strings.HasPrefix(function, dslPath+".")
		}
	}
	return false
}
