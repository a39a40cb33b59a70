package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// page is one Markdown file: its blocks in order, and the text around them.
type page struct {
	name   string // relative to the root of the repository
	blocks []block
	prose  []line
	long   bool // "test: long" stands somewhere: -short leaves the page out
}

// line is a line of the text around the blocks.
type line struct {
	number int
	text   string
}

// block is one fenced block, with the comments before it about its test.
type block struct {
	line     int
	language string
	lines    []string
	orders   []order
}

// order is one invisible comment: <!-- test: VERB REST -->.
//
//	file PATH            the block is written to PATH, in the folder of the session
//	from PATH            the block is an excerpt, word for word, of this file of the repository
//	run COMMAND          COMMAND runs before the block
//	skip REASON          the block is not run
//	replace A => B: WHY  B is run instead of A
//	loose REASON         numbers in the output vary
//	long                 -short skips the page
type order struct {
	line       int
	verb, rest string
}

// needsReason are the verbs that change or skip a test, and need a reason.
var needsReason = map[string]bool{"skip": true, "loose": true, "replace": true}

var verbs = map[string]bool{"file": true, "from": true, "run": true, "skip": true, "replace": true, "loose": true, "long": true}

// readPage reads a file of the repository.
func readPage(root, name string) (*page, error) {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return nil, err
	}
	return parsePage(name, string(text))
}

// parsePage splits a page into blocks and prose.
func parsePage(name, text string) (*page, error) {
	p := &page{name: name}
	var orders []order
	var open *block
	for i, s := range strings.Split(text, "\n") {
		n := i + 1
		fence, isFence := strings.CutPrefix(s, "```")
		switch {
		case isFence && open != nil:
			p.blocks = append(p.blocks, *open)
			open = nil
		case isFence:
			open = &block{line: n, language: fence, orders: orders}
			orders = nil
		case open != nil:
			open.lines = append(open.lines, s)
		case strings.HasPrefix(s, "<!-- test:"):
			o, err := parseOrder(n, s)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, err)
			}
			if o.verb == "long" {
				p.long = true
				continue
			}
			orders = append(orders, o)
		default:
			if len(orders) > 0 && strings.TrimSpace(s) != "" {
				return nil, fmt.Errorf("%s:%d: the comment in line %d stands before no block", name, n, orders[0].line)
			}
			p.prose = append(p.prose, line{n, s})
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block has no end", name, open.line)
	}
	return p, p.check()
}

func parseOrder(n int, s string) (order, error) {
	body, ok := strings.CutSuffix(strings.TrimPrefix(s, "<!-- test:"), "-->")
	if !ok {
		return order{}, fmt.Errorf("%q: a comment ends in its own line", s)
	}
	verb, rest, _ := strings.Cut(strings.TrimSpace(body), " ")
	o := order{n, verb, strings.TrimSpace(rest)}
	switch {
	case !verbs[verb]:
		return o, fmt.Errorf("there is no order %q", verb)
	case needsReason[verb] && o.rest == "":
		return o, fmt.Errorf("%s has no reason", verb)
	}
	return o, nil
}

// check checks that the test of each block is defined.
func (p *page) check() error {
	for _, b := range p.blocks {
		_, file := b.order("file")
		_, from := b.order("from")
		_, skip := b.order("skip")
		switch {
		case b.language == "sh", b.language == "console", b.language == "text", file, from:
		case b.language == "go" && !skip:
			return fmt.Errorf("%s:%d: nothing says how this Go is compiled: want \"test: file\" or \"test: from\"", p.name, b.line)
		case skip:
		default:
			return fmt.Errorf("%s:%d: a block of %q is not tested: want sh, console, go or text", p.name, b.line, b.language)
		}
	}
	return nil
}

// order returns the arguments of a comment with this verb.
func (b *block) order(verb string) (rest string, ok bool) {
	for _, o := range b.orders {
		if o.verb == verb {
			return o.rest, true
		}
	}
	return "", false
}

// step is one command of a page with its output.
type step struct {
	line    int
	command string
	want    []string // nil: the page has no output
	loose   bool
}

// steps returns the commands of a page in order, including hidden ones.
func (p *page) steps() ([]step, error) {
	var all []step
	for _, b := range p.blocks {
		for _, o := range b.orders {
			if o.verb == "run" {
				all = append(all, step{line: o.line, command: o.rest})
			}
		}
		more, err := b.steps()
		if err != nil {
			return nil, fmt.Errorf("%s:%w", p.name, err)
		}
		all = append(all, more...)
	}
	return all, nil
}

func (b *block) steps() ([]step, error) {
	if _, skip := b.order("skip"); skip {
		return nil, nil
	}
	if name, ok := b.order("file"); ok {
		text, err := b.replaced(strings.Join(b.lines, "\n"))
		if err != nil {
			return nil, fmt.Errorf("%d: %w", b.line, err)
		}
		return []step{{line: b.line, command: writes(name, text)}}, nil
	}
	var list []step
	_, loose := b.order("loose")
	for i := 0; i < len(b.lines); i++ {
		n, s := b.line+1+i, b.lines[i]
		command, isCommand := strings.CutPrefix(s, "$ ")
		switch {
		case b.language == "sh":
			command = s
		case b.language != "console":
			continue
		case !isCommand && len(list) == 0:
			return nil, fmt.Errorf("%d: output before the first command", n)
		case !isCommand:
			last := &list[len(list)-1]
			last.want = append(last.want, s)
			continue
		}
		for strings.HasSuffix(command, "\\") && i+1 < len(b.lines) {
			i++
			command += "\n" + b.lines[i]
		}
		if command = strings.TrimSpace(command); command == "" || command[0] == '#' {
			continue
		}
		command, err := b.replaced(command)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		list = append(list, step{line: n, command: command, loose: loose})
	}
	return list, nil
}

// replaced returns a command with the replacements for the test.
func (b *block) replaced(command string) (string, error) {
	for _, o := range b.orders {
		if o.verb != "replace" {
			continue
		}
		from, to, why, err := o.replacement()
		if err != nil {
			return "", err
		}
		if why == "" || !strings.Contains(strings.Join(b.lines, "\n"), from) {
			return "", fmt.Errorf("replace %q: want a reason, and the words in the block", from)
		}
		command = strings.ReplaceAll(command, from, to)
	}
	return command, nil
}

// replacement parses "A => B: WHY".
func (o order) replacement() (from, to, why string, err error) {
	from, rest, ok := strings.Cut(o.rest, " => ")
	i := strings.LastIndex(rest, ": ")
	if !ok || i < 0 {
		return "", "", "", fmt.Errorf("replace %s: want A => B: REASON", o.rest)
	}
	return from, rest[:i], rest[i+2:], nil
}

// writes returns the command that writes a file.
func writes(name, text string) string {
	return fmt.Sprintf("mkdir -p \"$(dirname '%s')\" && cat >'%s' <<'END OF FILE'\n%s\nEND OF FILE\n", name, name, text)
}
