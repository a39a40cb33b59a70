package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// TestLevels shows which levels -level selects, the highest first.
func TestLevels(t *testing.T) {
	amd64 := []cpu.Level{cpu.Portable, cpu.AVX2, cpu.AVX512}
	for _, x := range []struct {
		value string
		has   []cpu.Level
		want  []cpu.Level
		err   string
	}{
		{value: "", has: amd64, want: []cpu.Level{cpu.AVX512}},
		{value: "all", has: amd64, want: []cpu.Level{cpu.AVX512, cpu.AVX2}},
		{value: "all", has: amd64[:1], want: amd64[:1]},
		{value: "portable,avx512", has: amd64, want: []cpu.Level{cpu.AVX512, cpu.Portable}},
		{value: "avx512", has: amd64[:2], err: `-level names ["avx512"]; this machine has [portable avx2]`},
		{value: "avx2,sse", has: amd64, err: `-level names ["sse"]`},
	} {
		got, err := levels(x.value, x.has)
		if x.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), x.err) {
				t.Errorf("%q: error %v, want %s", x.value, err, x.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, x.want) {
			t.Errorf("%q: %v, %v, want %v", x.value, got, err, x.want)
		}
	}
}

// TestAnswer shows how lines of engines.py are read: times, an engine that is not installed, one that refuses the
// model, and anything else.
func TestAnswer(t *testing.T) {
	a, err := parseAnswer([]byte(`{"median_us": 1.5, "cpu_us": 2}` + "\n"))
	if err != nil || a.Median != 1.5 || a.CPU != 2 {
		t.Errorf("times: %+v, %v", a, err)
	}
	if _, err = parseAnswer([]byte(`{"missing": "No module named 'MNN'"}`)); !errors.Is(err, errMissing) {
		t.Errorf("missing: %v", err)
	}
	if _, err = parseAnswer([]byte(`{"failed": "RuntimeError: Loop"}`)); err == nil || errors.Is(err, errMissing) || err.Error() != "RuntimeError: Loop" {
		t.Errorf("failed: %v", err)
	}
	if _, err = parseAnswer([]byte("The device supports\n")); err == nil {
		t.Error("a line that is not JSON was accepted")
	}
}

// TestCompareTensors shows which outputs are taken as equal.
func TestCompareTensors(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, x := range []struct {
		name      string
		got, want *tensor.Tensor
		tol       tolerance
		ok        bool
	}{
		{"equal", vector(1, 2), vector(1, 2), rounding, true},
		{"rounded", vector(1.0005, 0), vector(1, 0.00005), rounding, true},
		{"wrong", vector(1.01, 2), vector(1, 2), rounding, false},
		{"by a quantum", vector(1.01, 2), vector(1, 2), quanta, true},
		{"small beside a large one", vector(1000, 0.09), vector(1000, 0), rounding, true},
		{"missing elements", vector(1), vector(1, 2), rounding, false},
		{"NaN and infinity", vector(nan, inf), vector(nan, inf), rounding, true},
		{"NaN for a number", vector(nan), vector(1), rounding, false},
		{"a number for NaN", vector(1), vector(nan), rounding, false},
		{"a number for infinity", vector(1), vector(inf), rounding, false},
		{"another type of integer", ints[int32](tensor.Int32, 3), ints[int64](tensor.Int64, 3), rounding, true},
	} {
		if err := x.tol.compare(x.got, x.want); (err == nil) != x.ok {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

// TestCompareFolders shows that every expected output must be there and be equal.
func TestCompareFolders(t *testing.T) {
	got, want, empty := t.TempDir(), t.TempDir(), t.TempDir()
	put := func(dir, name string, x *tensor.Tensor) {
		if err := os.WriteFile(filepath.Join(dir, name), tensorio.AppendTensor(nil, "y", x), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(want, "output_0.pb", vector(1, 2))
	put(want, "output_1.pb", vector(3))
	put(got, "output_0.pb", vector(1, 2))
	if err := compareFolders(got, want, rounding); err == nil {
		t.Error("the second output is missing, which was not noticed")
	}
	put(got, "output_1.pb", vector(4))
	if err := compareFolders(got, want, rounding); err == nil || !strings.HasPrefix(err.Error(), "output_1.pb: element 0 is 4, want 3") {
		t.Errorf("a wrong second output: %v", err)
	}
	put(got, "output_1.pb", vector(3))
	if err := compareFolders(got, want, rounding); err != nil {
		t.Error(err)
	}
	if err := compareFolders(got, empty, rounding); err == nil {
		t.Error("nothing is expected, which was not noticed")
	}
}

// TestTable shows the tables of a page: the best engine of each row, and engines without a time.
func TestTable(t *testing.T) {
	at := func(who string, threads int) contender { return contender{who, "avx2", threads} }
	rows := []*row{
		{
			name: "net", arena: 64, flops: 1e6, peak: map[string]float64{"avx2": 100},
			times: map[contender]line{
				at("bbgen", 1): {CPU: 20, Median: 21}, at("onnxruntime", 1): {CPU: 50, Median: 30}, at("mnn", 1): {CPU: 40, Median: 41},
				at("bbgen", 2): {CPU: 30, Median: 14}, at("openvino", 2): {CPU: 40, Median: 7},
			},
			why: map[contender]string{at("openvino", 1): "wrong", at("mnn", 2): "fails"},
		},
		{name: "alone", times: map[contender]line{at("bbgen", 1): {CPU: 3}}},
		{name: "mlp-1-1", made: true, times: map[contender]line{at("bbgen", 1): {CPU: 1}, at("mnn", 1): {CPU: 9}}},
	}
	b := &bench{threads: section.Counts{1, 2}, levels: []cpu.Level{cpu.AVX2}, version: map[string]string{"mnn": "3.6.1"}}
	one := `| model | bbgen | ONNX Runtime | OpenVINO | MNN | ratio | best engine | of the peak | arena bytes | allocations |
| --- | --: | --: | --: | --: | --: | --- | --: | --: | --: |
| net | 20.0 | 50.0 | wrong | 40.0 | **2.00** | MNN | 50 % | 64 | 0 |
| alone | 3.0 | – | – | – | – | – | – | 0 | 0 |
| mlp-1-1 | 1.0 | – | – | 9.0 | **9.00** | MNN | – | 0 | 0 |

Geometric mean of the ratios: 2.00. Networks of dense layers called by their sizes do not count.
`
	if got := b.table(rows, "avx2", 1); got != one {
		t.Errorf("1 thread: got\n%s\nwant\n%s", got, one)
	}
	two := `| model | bbgen | ONNX Runtime | OpenVINO | MNN | ratio | best engine | bbgen, over 1 thread |
| --- | --: | --: | --: | --: | --: | --- | --: |
| net | 14.0 | – | 7.0 | fails | **0.50** | OpenVINO | 1.50 |

Geometric mean of the ratios: 0.50. Networks of dense layers called by their sizes do not count.
`
	if got := b.table(rows[:1], "avx2", 2); got != two {
		t.Errorf("2 threads: got\n%s\nwant\n%s", got, two)
	}
	page := b.page(rows)
	for _, want := range []string{"## Inference\n", "The engines are MNN 3.6.1.", section.Processor(), "\n### Level avx2, 1 thread\n", "\n### Level avx2, 2 threads\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
}

// TestScaling shows a row of the section on scaling.
func TestScaling(t *testing.T) {
	at := func(who string, threads int) contender { return contender{who, "avx2", threads} }
	b := &bench{threads: section.Counts{1, 4}, levels: []cpu.Level{cpu.AVX2}}
	text := b.scaling([]*row{{name: "net", times: map[contender]line{
		at("bbgen", 1): {Median: 40}, at("bbgen", 4): {Median: 10}, at("mnn", 1): {Median: 60}, at("mnn", 4): {Median: 30}, at("openvino", 4): {Median: 31},
	}}})
	for _, want := range []string{"-scaling -threads 1,4", "| net | 4 | 10.0 | 4.00 | MNN | 30.0 | 2.00 | **3.00** |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the section does not contain %q:\n%s", want, text)
		}
	}
}

func vector(x ...float32) *tensor.Tensor {
	t := tensor.New(tensor.Float32, len(x))
	copy(tensor.Data[float32](t), x)
	return t
}

func ints[T int32 | int64](d tensor.DType, x ...T) *tensor.Tensor {
	t := tensor.New(d, len(x))
	copy(tensor.Data[T](t), x)
	return t
}

// TestRun runs the command on a small network: it is generated, built into a folder that is not there yet, timed, and
// has a row in the table of its section. What the page says besides is kept.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := writeCase(filepath.Join(dir, "small"), []int{4, 8, 2}); err != nil {
		t.Fatal(err)
	}
	o := options{cases: list{filepath.Join(dir, "small")}, level: "portable", rounds: 1, budget: time.Millisecond, threads: section.Counts{1}, out: filepath.Join(dir, "table.md")}
	const before, after = "# Speed\n\nWords.\n", "\n## Training\n\nA table.\n"
	if err := os.WriteFile(o.out, []byte(before+"\n## Inference\n\nAn older table.\n"+after), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := o.run(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(o.out)
	if err != nil {
		t.Fatal(err)
	}
	text, kept := strings.CutPrefix(string(page), before)
	text, end := strings.CutSuffix(text, after)
	if !kept || !end || strings.Contains(text, "older") || !strings.Contains(text, "\n| small |") {
		t.Errorf("the section is not the only change, or has no row of the case:\n%s", page)
	}
}
