package codegen_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
)

// largeVar is the environment variable with the shape and the size of the graph that [TestCompileLarge] compiles.
const largeVar = "BBGEN_LARGE"

// large makes the statements of functions with n times something, and names their results. They read %x: float32[d].
var large = map[string]func(n int) (body string, results []string){
	"layers": func(n int) (string, []string) { // rolled, with a part that is not
		return chained(n, func(i int, x, y string) string {
			return fmt.Sprintf("%%a%d = Sin(%%%s) : ?\n%%b%d = Cos(%%%s) : ?\n%%%s = %s(%%a%d, %%b%d) : ?\n", i, x, i, x, y, []string{"Add", "Mul"}[i/7%5/4], i, i)
		})
	},
	"line": func(n int) (string, []string) { // with many short repetitions
		return chained(n, func(i int, x, y string) string {
			return fmt.Sprintf("%%%s = %s(%%%s) : ?\n", y, []string{"Sin", "Cos", "Tanh", "Neg"}[i*i/5%7%4], x)
		})
	},
	"parts": func(n int) (string, []string) { // of a node; all live at the same time
		var parts, most, types, body []string
		for i := range n {
			parts, most, types = append(parts, "%p"+strconv.Itoa(i)), append(most, "%m"+strconv.Itoa(i)), append(types, "?")
			body = append(body, fmt.Sprintf("%%m%d = ReduceMax(%%p%d) : ?\n", i, i))
		}
		head := fmt.Sprintf("%%w = Tile(%%x, %%many) : ?\n%s = Split(%%w) {num_outputs = %d} : %s\n", strings.Join(parts, ", "), n, strings.Join(types, ", "))
		return fmt.Sprintf("const %%many: int64[1] = [%d]\n", n) + head + strings.Join(body, "") + "%y = Concat(" + strings.Join(most, ", ") + ") {axis = 0} : ?\n", []string{"y"}
	},
	"outputs": func(n int) (body string, results []string) {
		for i := range n {
			body += fmt.Sprintf("%%a%d = Sin(%%x) : ?\n%%y%d = Softmax(%%a%d) : ?\n", i, i, i)
			results = append(results, fmt.Sprint("y", i))
		}
		return body, results
	},
	"branches": func(n int) (string, []string) {
		body, results := chained(n, func(i int, x, y string) string {
			return fmt.Sprintf("%%%s = If(%%go) : ? then_branch() -> (%%t%d) {\n%%t%d = Sin(%%%s) : ?\n} else_branch() -> (%%e%d) {\n%%e%d = Cos(%%%s) : ?\n}\n", y, i, i, x, i, i, x)
		})
		return "const %zero: float32[] = 0\n%most = ReduceMax(%x) {keepdims = 0} : ?\n%go = Less(%most, %zero) : ?\n" + body, results
	},
	"sizes": func(n int) (string, []string) { // that only the run knows
		body, results := "", []string{}
		for i := range n {
			body += fmt.Sprintf("%%s%d = Sin(%%x) : ?\n%%z%d = NonZero(%%s%d) : ?\n", i, i, i)
			results = append(results, fmt.Sprint("z", i))
		}
		return body, results
	},
	"names": func(n int) (string, []string) { // that differ in characters that Go does not have
		return chained(n, func(i int, x, y string) string {
			hidden := strings.NewReplacer("0", "-", "1", "+", "2", "*", "3", "=", "4", "!", "5", "<", "6", ">", "7", "@", "8", "&", "9", "~")
			return fmt.Sprintf("%%\"s%s\" = Sin(%%%s) : ?\n%%%s = Cos(%%\"s%s\") : ?\n", hidden.Replace(fmt.Sprint(i)), x, y, hidden.Replace(fmt.Sprint(i)))
		})
	},
}

// chained returns n statements, each of which reads the result of the one before.
func chained(n int, statement func(i int, x, y string) string) (string, []string) {
	var b strings.Builder
	x := "x"
	for i := range n {
		y := fmt.Sprint("y", i)
		b.WriteString(statement(i, x, y))
		x = y
	}
	return b.String(), []string{x}
}

// TestCompileLarge compiles the graph in the environment.
func TestCompileLarge(t *testing.T) {
	shape, size, ok := strings.Cut(os.Getenv(largeVar), " ")
	if !ok {
		t.Skip("TestGrowth runs it")
	}
	name, elems, _ := strings.Cut(shape, ":")
	n, err := strconv.Atoi(size)
	if err != nil {
		t.Fatal(err)
	}
	body, results := large[name](n)
	m, err := ir.Parse("m.ir", fmt.Sprintf("module \"m\"\nopset 21\nfunc @main(%%x: float32[%s]) -> (%%%s) {\n%s}\n", elems, strings.Join(results, ", %"), body))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bbgen.Compile(m, bbgen.Config{Source: "m.onnx"}); err != nil {
		t.Fatal(err)
	}
}

// TestGrowth counts how often each statement of the planner and the printer runs. For a graph that is larger, that must not
// be much more than in proportion, as a quadratic algorithm would.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test with counters")
	}
	binary := filepath.Join(t.TempDir(), "large.test")
	build := exec.Command("go", "test", "-c", "-o", binary, "-covermode=count", "-coverpkg=github.com/bbgen/bbgen/codegen/...", ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const n, times = 250, 8
	for name := range large {
		for _, elems := range []string{"8", "8192", "batch"} {
			if name == "parts" && elems == "batch" { // a node cannot have so many parts of a size that is unknown
				continue
			}
			t.Run(name+"/"+elems, func(t *testing.T) {
				few, many := counts(t, binary, name+":"+elems, n), counts(t, binary, name+":"+elems, n*times)
				for at, got := range many {
					if name == "parts" && strings.Contains(at, "plan/space.go:") { // see the comment of space.place
						continue
					}
					if most := 3 * times * max(few[at], 4*n); got > most { // n log n, and a constant
						t.Errorf("%s runs %d times for %d, and %d times for %d", at, few[at], n, got, n*times)
					}
				}
			})
		}
	}
}

// counts returns how often each block of statements runs when a graph is compiled.
func counts(t *testing.T, binary, shape string, n int) map[string]int {
	profile := filepath.Join(t.TempDir(), "counts")
	c := exec.Command(binary, "-test.run=^TestCompileLarge$", "-test.coverprofile="+profile)
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", largeVar, shape, n))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %d: %v\n%s", shape, n, err, out)
	}
	b, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		f := strings.Fields(s.Text()) // place, number of statements, count
		if len(f) == 3 {
			if all[f[0]], err = strconv.Atoi(f[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}
