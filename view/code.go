package view

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/codegen"
)

// maxCode is the largest number of bytes of generated code on a page.
const maxCode = 4 << 20

var (
	codeFunc  = regexp.MustCompile(`^func \(c \*context\) (\w+)\(`)
	codeBegin = regexp.MustCompile(`^\s*p\.Begin\((base\+)?(\d+),`)
	codeBlock = regexp.MustCompile(`^\s*c\.(profile\w+)\(p, (\d+),`)
	codeRoom  = regexp.MustCompile(`= tensor\.(Take|Grow)\(`) // memory for the outputs of the next node
	codeName  = regexp.MustCompile(`^\t\{Name: ("(?:[^"\\]|\\.)*"), Op: `)
)

// codeOf returns the generated lines of each node by its name. They are taken from profile.bb.go, which marks
// the beginnings of nodes; a package without this file has none.
func codeOf(files []codegen.File) map[string]string {
	for _, f := range files {
		if f.Path == "profile.bb.go" {
			return readCode(string(f.Bytes()))
		}
	}
	return nil
}

// marked holds generated code by the numbers of nodes.
type marked struct {
	run    map[int]string            // of the run itself
	blocks map[string]map[int]string // of blocks, by their methods; numbers count from the caller's
	bases  map[string][]int          // numbers at which the repetitions of a block begin
	names  []string
}

// readCode reads the file line by line. Its form is known, as bbgen has printed it.
func readCode(src string) map[string]string {
	m := &marked{run: map[int]string{}, blocks: map[string]map[int]string{}, bases: map[string][]int{}}
	m.read(src)
	out, size := map[string]string{}, 0
	put := func(i int, text string) {
		if size += len(text); i < len(m.names) && size <= maxCode {
			out[clip(m.names[i])] += text
		}
	}
	for i, text := range m.run {
		put(i, text)
	}
	for block, bases := range m.bases {
		for _, base := range bases {
			for i, text := range m.blocks[block] {
				put(base+i, text)
			}
		}
	}
	return out
}

func (m *marked) read(src string) {
	into, at := m.run, -1
	for line := range strings.Lines(src) {
		switch {
		case codeFunc.MatchString(line):
			into, at = m.code(codeFunc.FindStringSubmatch(line)[1]), -1
		case codeBegin.MatchString(line):
			at, _ = strconv.Atoi(codeBegin.FindStringSubmatch(line)[2])
		case codeBlock.MatchString(line):
			x := codeBlock.FindStringSubmatch(line)
			base, _ := strconv.Atoi(x[2])
			m.bases[x[1]] = append(m.bases[x[1]], base)
			at = -1
		case codeName.MatchString(line):
			name, _ := strconv.Unquote(codeName.FindStringSubmatch(line)[1])
			m.names = append(m.names, name)
		case strings.HasPrefix(line, "}") || strings.Contains(line, "p.End()"):
			at = -1
		case codeRoom.MatchString(line):
		case at >= 0:
			into[at] += strings.TrimPrefix(line, "\t")
		}
	}
}

// code returns the map for the code of a method.
func (m *marked) code(method string) map[int]string {
	if method == "profile" {
		return m.run
	}
	if m.blocks[method] == nil {
		m.blocks[method] = map[int]string{}
	}
	return m.blocks[method]
}
