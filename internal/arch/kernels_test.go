package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir/op"
)

// TestKernelNames: the names of exported functions of runtime/cpu follow the grammar in its documentation from their first
// letter on, and each word of it is in a name.
func TestKernelNames(t *testing.T) {
	g := readGrammar(t)
	files, err := filepath.Glob("../../runtime/cpu/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range parsed(t, token.NewFileSet(), file, nil).Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			if err := g.check(fn.Name.Name); err != nil {
				t.Errorf("%s: %s: %v: see # Names in doc.go", strings.TrimPrefix(file, "../../"), fn.Name.Name, err)
			}
		}
	}
	for w, used := range g.used {
		switch {
		case !used:
			t.Errorf("doc.go has the word %s in table %d, which no name needs there", w.text, w.table)
		case w.table == others && g.operators[w.text]:
			t.Errorf("doc.go has the name %s, which is that of an operator", w.text)
		}
	}
}

// TestGrammar shows what the grammar refuses.
func TestGrammar(t *testing.T) {
	g := readGrammar(t)
	for _, c := range []struct{ name, want string }{
		{"Conv", ""},
		{"ConvAdd32", ""},
		{"Add", ""},
		{"VecAddS32", ""},
		{"ConvLastInto32", ""},
		{"MatMulIntegerPacked", ""},
		{"BatchMatMulTA32", ""},
		{"PackB32TSize", ""},
		{"ReduceL2", ""},
		{"CastToString", ""},
		{"QDepthwise", ""},
		{"Conv32Add", "Add stands after 32"},
		{"MatMulAddPacked32", "Packed stands after Add"},
		{"MatMulT32T", "T stands after 32"},
		{"DepthwiseIntegerFast", "Fast is no word of the grammar, and stands after Integer"},
		{"ConvFast32", "Fast is no word of the grammar, and stands after Conv"},
		{"Convolve32", "it begins neither with an operator nor with a name of the grammar"},
		{"FastConv32", "it begins neither with an operator nor with a name of the grammar"},
		{"Sleep32", "it begins neither with an operator nor with a name of the grammar"}, // an operator of peers
		{"BatchConv32", "Batch stands before Conv32, want MatMul"},
		{"VecFastAdd32", "Vec stands before FastAdd32, which begins neither with an operator nor with a name of the grammar"},
		{"Pack32", "Pack stands before 32, which begins neither with an operator nor with a name of the grammar"},
		{"Pack", "Pack stands before no name"},
	} {
		got := ""
		if err := g.check(c.name); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// grammar is what doc.go of runtime/cpu says of names.
type grammar struct {
	operators map[string]bool   // whose kernels have their names
	other     map[string]bool   // names that are not those of operators
	after     map[string]int    // the places of words that follow a name
	before    map[string]string // words before a name, and the beginning of the names that they need, or ""
	used      map[entry]bool    // by the names so far: all words of the tables
}

// entry is a word of a table.
type entry struct {
	table int
	text  string
}

// The tables, in their order.
const (
	behind = iota + 1 // words that follow a name
	before            // words before it
	others            // names that are not those of operators
)

// readGrammar reads the tables of doc.go below its heading Names.
func readGrammar(t *testing.T) *grammar {
	doc, err := os.ReadFile("../../runtime/cpu/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "// # Names\n")
	text, _, _ = strings.Cut(text, "// # ")
	g := &grammar{operators: map[string]bool{}, other: map[string]bool{}, after: map[string]int{}, before: map[string]string{}, used: map[entry]bool{}}
	for _, o := range op.All() {
		if o.Peer == nil && o.Domain != op.Own { // those of peers have no kernel, and those of fusions have the name of theirs
			g.operators[o.Name] = true
		}
	}
	tables, inside, place := 0, false, 0
	for line := range strings.Lines(text) {
		row, ok := strings.CutPrefix(line, "//\t")
		if ok && !inside {
			tables++
		}
		if inside = ok; ok {
			place++
			g.add(tables, place, row)
		}
	}
	if tables != others {
		t.Fatalf("doc.go has %d tables of names, want %d", tables, others)
	}
	return g
}

// add adds a row of a table: words, which have the same place, two spaces or more, and their meaning.
func (g *grammar) add(table, place int, row string) {
	list, meaning, _ := strings.Cut(row, "  ")
	for word := range strings.SplitSeq(list, ", ") {
		g.used[entry{table, word}] = false
		switch table {
		case behind:
			g.after[word] = place
		case before:
			g.before[word] = ""
			if needs, _, found := strings.Cut(strings.TrimSpace(meaning), ":"); found {
				g.before[word] = strings.TrimPrefix(needs, "before ")
			}
		case others:
			g.other[word] = true
		}
	}
}

// check returns an error if a name does not follow the grammar: it is the name of an operator or another one, perhaps with a
// word before it, and words behind it.
func (g *grammar) check(name string) error {
	base := g.base(name)
	if base == "" {
		word := longest(name, g.before)
		rest := name[len(word):]
		base = g.base(rest)
		switch needs := g.before[word]; {
		case word == "":
			return fmt.Errorf("it begins neither with an operator nor with a name of the grammar")
		case rest == "":
			return fmt.Errorf("%s stands before no name", word)
		case !strings.HasPrefix(rest, needs):
			return fmt.Errorf("%s stands before %s, want %s", word, rest, needs)
		case base == "":
			return fmt.Errorf("%s stands before %s, which begins neither with an operator nor with a name of the grammar", word, rest)
		}
		g.used[entry{before, word}] = true
		name = rest
	}
	return g.checkAfter(base, name[len(base):])
}

// base returns the name of an operator, or the other name, with which a name begins, or "".
func (g *grammar) base(name string) string {
	base, other := longest(name, g.operators), longest(name, g.other)
	if len(other) < len(base) {
		return base
	}
	if other != "" {
		g.used[entry{others, other}] = true
	}
	return other
}

// checkAfter checks the words that follow a name.
func (g *grammar) checkAfter(last, rest string) error {
	for place := 0; rest != ""; {
		w := longest(rest, g.after)
		switch {
		case w == "":
			return fmt.Errorf("%s is no word of the grammar, and stands after %s", firstWord(rest), last)
		case g.after[w] <= place:
			return fmt.Errorf("%s stands after %s", w, last)
		}
		g.used[entry{behind, w}] = true
		last, rest, place = w, rest[len(w):], g.after[w]
	}
	return nil
}

// longest returns the longest of some words with which a name begins, or "".
func longest[V any](name string, words map[string]V) (best string) {
	for w := range words {
		if len(w) > len(best) && strings.HasPrefix(name, w) && !continues(name, len(w)) {
			best = w
		}
	}
	return best
}

// continues reports whether the word at the beginning of a name goes on at byte i.
func continues(name string, i int) bool { return i < len(name) && 'a' <= name[i] && name[i] <= 'z' }

// firstWord returns a name up to its second capital letter or number.
func firstWord(name string) string {
	i := 1
	for continues(name, i) {
		i++
	}
	return name[:i]
}
