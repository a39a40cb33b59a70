package cpu

import (
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// The names of exported functions follow the grammar in the package's documentation, and each word of it is in a name.
func TestNamesFollowTheGrammar(t *testing.T) {
	g := readGrammar(t)
	eachSource(t, func(file string, parsed *ast.File) {
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			if err := g.check(fn.Name.Name); err != nil {
				t.Errorf("%s: %s: %v", file, fn.Name.Name, err)
			}
		}
	})
	for word, used := range g.used {
		if !used {
			t.Errorf("doc.go has the word %s, which is in no name", word)
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
		{"Conv32Add", "Add stands after 32"},
		{"MatMulAddPacked32", "Packed stands after Add"},
		{"MatMulT32T", "T stands after 32"},
		{"DepthwiseIntegerFast", "Fast is no word of the grammar, and stands after Integer"},
		{"BatchConv32", "Batch stands before Conv, want MatMul"},
		{"Pack32", "Pack stands before no name"},
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

// grammar is what doc.go says of names.
type grammar struct {
	after  map[string]int    // the places of words that follow a name
	before map[string]string // words before a name, and the beginning of the names that they need, or ""
	whole  [][]string        // the words of names that stay whole
	used   map[string]bool   // by all of these
}

// readGrammar reads the tables of doc.go below its heading Names.
func readGrammar(t *testing.T) *grammar {
	needsSources(t)
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "// # Names\n")
	text, _, _ = strings.Cut(text, "// # ")
	g := &grammar{after: map[string]int{}, before: map[string]string{}, used: map[string]bool{}}
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
	if tables != 3 {
		t.Fatalf("doc.go has %d tables of names, want 3", tables)
	}
	return g
}

// add adds a row of a table: words, which have the same place, two spaces or more, and their meaning.
func (g *grammar) add(table, place int, row string) {
	list, meaning, _ := strings.Cut(row, "  ")
	for word := range strings.SplitSeq(list, ", ") {
		g.used[word] = false
		switch table {
		case 1:
			g.after[word] = place
		case 2:
			g.before[word] = ""
			if needs, _, found := strings.Cut(strings.TrimSpace(meaning), ":"); found {
				g.before[word] = strings.TrimPrefix(needs, "before ")
			}
		case 3:
			g.whole = append(g.whole, g.words(word))
		}
	}
}

// check returns an error if a name does not follow the grammar.
func (g *grammar) check(name string) error {
	words := g.words(name)
	n := g.wholeWords(words)
	if needs, ok := g.before[words[0]]; ok && n == 0 && len(words) > 1 {
		g.used[words[0]] = true
		if rest := strings.Join(words[1:], ""); !strings.HasPrefix(rest, needs) {
			return fmt.Errorf("%s stands before %s, want %s", words[0], words[1], needs)
		}
		if strings.Trim(words[1], "0123456789") == "" {
			return fmt.Errorf("%s stands before no name", words[0])
		}
		words = words[1:]
		n = g.wholeWords(words)
	}
	return g.checkAfter(words[max(n, 1):])
}

// checkAfter checks what follows the first word of a name: more of it, and then words in their order.
func (g *grammar) checkAfter(words []string) error {
	last := ""
	for _, w := range words {
		place, ok := g.after[w]
		switch {
		case !ok && last == "":
			continue // the name goes on
		case !ok:
			return fmt.Errorf("%s is no word of the grammar, and stands after %s", w, last)
		case place <= g.after[last]:
			return fmt.Errorf("%s stands after %s", w, last)
		}
		g.used[w], last = true, w
	}
	return nil
}

// wholeWords returns the number of words of a name that stays whole at the beginning of the words, or 0.
func (g *grammar) wholeWords(words []string) int {
	for _, name := range g.whole {
		if len(name) <= len(words) && slices.Equal(name, words[:len(name)]) {
			g.used[strings.Join(name, "")] = true
			return len(name)
		}
	}
	return 0
}

// words divides a name: a word begins with a capital letter, or is a number of bits. Words that are one in the grammar remain
// so.
func (g *grammar) words(name string) (list []string) {
	capital := func(i int) bool { return 'A' <= name[i] && name[i] <= 'Z' }
	from := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && (!capital(i) || capital(i-1) && (i+1 == len(name) || capital(i+1) || name[i+1] <= '9')) {
			continue
		}
		list = append(list, g.number(name[from:i])...)
		from = i
	}
	for i := 1; i < len(list); i++ {
		if _, ok := g.after[list[i-1]+list[i]]; ok {
			list = slices.Replace(list, i-1, i+1, list[i-1]+list[i])
		}
	}
	return list
}

// number divides a word with a number of bits at its end.
func (g *grammar) number(word string) []string {
	if _, ok := g.after[word]; ok {
		return []string{word}
	}
	for _, bits := range []string{"32", "64", "8"} {
		if rest, ok := strings.CutSuffix(word, bits); ok && rest != "" {
			return []string{rest, bits}
		}
	}
	return []string{word}
}
