package partitioner_test

import (
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// TestMutated changes the golden programs in small ways: the results are cut, or are errors.
func TestMutated(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	n := uint64(60)
	if testing.Short() {
		n = 10
	}
	cut := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			for seed := uint64(0); f.Name == "in.ir" && seed < n; seed++ {
				if cuts(t, mutate(string(f.Data), rand.New(rand.NewPCG(seed, 5)))) {
					cut++
				}
			}
		}
	}
	if cut == 0 {
		t.Error("no mutated program could be cut")
	}
}

// cuts cuts a program. It shows the program if that panics.
func cuts(t *testing.T, text string) bool {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%v\n%s", r, text)
			panic(r)
		}
	}()
	m, err := ir.Parse("mutated", text)
	if err != nil || ir.Verify(m) != nil || pass.Run(m, pass.Pipeline, nil) != nil {
		return false
	}
	p, err := partitioner.Make(m, partitioner.Options{Unbound: true})
	if err != nil {
		return false
	}
	partitioner.Print(p)
	return true
}

var (
	names   = regexp.MustCompile(`%[a-z][a-z_0-9.]*`)
	classes = regexp.MustCompile(`@[a-z]+ `)
	strs    = regexp.MustCompile(`= "[a-z]+"`)
)

// mutate changes one or two lines: a line is removed, reads another value, runs on another class, or has
// another word in an attribute.
func mutate(text string, rng *rand.Rand) string {
	lines := strings.Split(text, "\n")
	for range 1 + rng.IntN(2) {
		i := 4 + rng.IntN(max(1, len(lines)-5))
		if i >= len(lines) {
			continue
		}
		other := func(re *regexp.Regexp) func(string) string {
			all := re.FindAllString(text, -1)
			return func(s string) string {
				if rng.IntN(2) == 0 || len(all) == 0 {
					return s
				}
				return all[rng.IntN(len(all))]
			}
		}
		switch rng.IntN(5) {
		case 0:
			lines[i] = ""
		case 1, 2:
			if head, tail, ok := strings.Cut(lines[i], "("); ok {
				lines[i] = head + "(" + names.ReplaceAllStringFunc(tail, other(names))
			}
		case 3:
			lines[i] = classes.ReplaceAllStringFunc(lines[i], other(classes))
		case 4:
			lines[i] = strs.ReplaceAllStringFunc(lines[i], other(strs))
		}
	}
	return strings.Join(lines, "\n")
}
