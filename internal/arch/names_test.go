package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// byName matches comparisons of operators by their names or rows, where a column should be used: what the
// operator opens, what it gives away, what it does with a model.
var byName = regexp.MustCompile(`\.Op [!=]= |switch [a-z.]*\.Op \{|[!=]= (op|peer)\.[A-Z][a-zA-Z]+(\.Name)?\b|case (op|peer)\.(Model|Aggregator|Codec|Data)`)

// allowed are columns and types of packages op and peer, and operators that have a kind of their own.
var allowed = regexp.MustCompile(`(op|peer)\.(Kind|Opens|Has|EachBatch|Gives|Takes|NoFlow|SyscallDomain|[A-Z][a-z]+Type|Bundle|Unbundle)`)

// TestOperatorNames: the stages of distributed programs read the columns of the table of operators, and do
// not compare operators by name.
func TestOperatorNames(t *testing.T) {
	for _, dir := range []string{"partitioner", "codegen", "internal/bind"} {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", dir, err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(b), "\n") {
				if byName.MatchString(line) && !allowed.MatchString(line) {
					t.Errorf("%s:%d: %s: give op.Peer a column instead", strings.TrimPrefix(f, "../../"), i+1, strings.TrimSpace(line))
				}
			}
		}
	}
}
