package test

import (
	"archive/zip"
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

func TestMain(m *testing.M) { cmdtest.Main(m, harness) }

// harness is what the tests build: for each data set that standard input lists, it does what the file "play" in its folder
// says, and returns the expected output without that file.
func harness(string, []string) int {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		f := strings.Split(in.Text(), "\t")
		play, _ := os.ReadFile(filepath.Join(f[1], "play"))
		what, why, _ := strings.Cut(string(play), ": ")
		switch what {
		case "die":
			fmt.Fprintln(os.Stderr, why+"\ngoroutine 1")
			return 2
		case "end":
			return 0
		case "fail":
			os.WriteFile(filepath.Join(f[2], "ERROR"), []byte(why+"\n"), 0o666)
		case "":
			b, err := os.ReadFile(filepath.Join(f[1], "output_0.pb"))
			if err == nil {
				err = os.WriteFile(filepath.Join(f[2], "output_0.pb"), b, 0o666)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		case "write":
			os.WriteFile(filepath.Join(f[2], "output_0.pb"), message(1.5), 0o666)
		}
		fmt.Println("done")
	}
	return 0
}

// twice and unknown are models.
const (
	twice   = "module \"twice\"\nopset 21\nfunc @main(%x: float32[1]) -> (%y) {\n  %y = Add(%x, %x)\n}\n"
	unknown = "module \"unknown\"\nopset 21, \"other\" 1\nfunc @main(%x: float32[1]) -> (%y) {\n  %y = \"other\":Odd(%x)\n}\n"
)

// message returns the file of a tensor of one number.
func message(x float32) []byte {
	return tensorio.AppendTensor(nil, "", tensor.Of([]float32{x}, 1))
}

// writeCase writes a case with one data set, whose expected output is 1. The text is what the harness does.
func writeCase(t *testing.T, dir, name, model, play string) {
	t.Helper()
	set := filepath.Join(dir, name, "test_data_set_0")
	if err := os.MkdirAll(set, 0o777); err != nil {
		t.Fatal(err)
	}
	cmdtest.Model(t, filepath.Dir(set), "model.onnx", model)
	cmdtest.File(t, set, "output_0.pb", message(1))
	if play != "" {
		cmdtest.File(t, set, "play", play)
	}
}

// TestCases reports each case, also those after one that ends the harness.
func TestCases(t *testing.T) {
	cmdtest.Toolchain(t, "")
	dir := t.TempDir()
	writeCase(t, dir, "a_right", twice, "")
	writeCase(t, dir, "b_dies", twice, "die: out of memory")
	writeCase(t, dir, "c_wrong", twice, "write")
	writeCase(t, dir, "d_near", twice, "write")
	writeCase(t, dir, "e_shape", twice, "write")
	writeCase(t, dir, "f_fails", twice, "fail: node 3: no")
	writeCase(t, dir, "g_unknown", unknown, "")
	writeCase(t, dir, "h_silent", twice, "nothing")
	writeCase(t, dir, "i_ends", twice, "end")
	cmdtest.File(t, dir, "manifest.json", `{"cases": [{"name": "d_near", "rtol": 0.5, "atol": 0.1}, {"name": "e_shape", "compare": "shape"}]}`)
	if err := os.Mkdir(filepath.Join(dir, "j_empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmdtest.Model(t, filepath.Join(dir, "j_empty"), "model.onnx", twice)

	out, _, err := cmdtest.Run(t, Command(), dir, "--verbose")
	if err == nil {
		t.Error("cases have failed, and the command has not")
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	want := []string{
		"ok   a_right",
		"FAIL b_dies: out of memory",
		"FAIL c_wrong: test_data_set_0: output 0: ",
		"ok   d_near",
		"ok   e_shape",
		"FAIL f_fails: node 3: no",
		"FAIL g_unknown: ",
		"FAIL h_silent: test_data_set_0: output 0: open ",
		"FAIL i_ends: the harness ended early",
		"SKIP j_empty: it has no data",
		"3 passed, 6 failed, 1 skipped",
	}
	if len(lines) != len(want) {
		t.Fatalf("got\n%s\nwant\n%s", out, strings.Join(want, "\n"))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("got %q, want %q", line, want[i])
		}
	}
}

// TestNothingTested: cases without data are no success.
func TestNothingTested(t *testing.T) {
	cmdtest.Toolchain(t, "")
	dir := t.TempDir()
	cmdtest.Model(t, dir, "model.onnx", twice)
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{dir}, Want: "nothing was tested"})
}

// TestBuildFails: an error that names none of the programs ends the command.
func TestBuildFails(t *testing.T) {
	cmdtest.Toolchain(t, "no space left on device")
	dir := t.TempDir()
	writeCase(t, dir, "right", twice, "")
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{dir}, Want: "no space left on device"})
}

// TestArchive reads the matching cases of a zip file, and none that leads out of the folder.
func TestArchive(t *testing.T) {
	cmdtest.Toolchain(t, "")
	dir := t.TempDir()
	writeCase(t, dir, "node/test_relu", twice, "")
	writeCase(t, dir, "node/test_conv", twice, "die: it does not match")
	archive := filepath.Join(t.TempDir(), "cases.zip")
	pack(t, archive, dir, "")
	out, _, err := cmdtest.Run(t, Command(), archive, "--match", "test_relu")
	if err != nil || out != "1 passed, 0 failed, 0 skipped\n" {
		t.Errorf("got %q, %v", out, err)
	}
	pack(t, archive, dir, "../")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: []string{archive}, Want: archive + ": "},
		cmdtest.Refusal{Args: []string{archive}, Want: "leads out of the folder"},
		cmdtest.Refusal{Args: []string{dir, "--match", "("}, Want: "missing closing )"},
	)
}

// pack writes the files of a folder to a zip file, with a prefix of their names.
func pack(t *testing.T, archive, dir, prefix string) {
	t.Helper()
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := z.Create(prefix + filepath.ToSlash(rel))
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestJobs writes outputs and reasons into the folders of a list, and removes those of an earlier run.
func TestJobs(t *testing.T) {
	cmdtest.Toolchain(t, "")
	dir := t.TempDir()
	writeCase(t, dir, "right", twice, "")
	writeCase(t, dir, "fails", twice, "die: out of memory")
	writeCase(t, dir, "unknown", unknown, "")
	var list strings.Builder
	for _, name := range []string{"right", "fails", "unknown"} {
		in := filepath.Join(dir, name)
		fmt.Fprintf(&list, "%s\t%s\t%s\t%s\r\n\n", name, filepath.Join(in, "model.onnx"), filepath.Join(in, "test_data_set_0"), filepath.Join(dir, "out", name))
	}
	file := cmdtest.File(t, dir, "jobs.tsv", list.String())
	old := filepath.Join(dir, "out", "right", "ERROR")
	if err := os.MkdirAll(filepath.Dir(old), 0o777); err != nil {
		t.Fatal(err)
	}
	cmdtest.File(t, filepath.Dir(old), "ERROR", "of an earlier run")
	if out, _, err := cmdtest.Run(t, Command(), "--jobs", file, "--keep", filepath.Join(dir, "harness")); out != "" || err != nil {
		t.Fatalf("got %q, %v", out, err)
	}
	for name, want := range map[string]string{"right/output_0.pb": string(message(1)), "fails/ERROR": "out of memory\n", "unknown/UNSUPPORTED": ""} {
		b, err := os.ReadFile(filepath.Join(dir, "out", name))
		if err != nil || want != "" && string(b) != want {
			t.Errorf("%s: got %q, %v, want %q", name, b, err, want)
		}
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("an error of an earlier run is left")
	}
	if _, err := os.Stat(filepath.Join(dir, "harness", "main.go")); err != nil {
		t.Errorf("--keep keeps no program: %v", err)
	}
	bad := cmdtest.File(t, dir, "bad.tsv", "name\tmodel\tin\n")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: []string{"--jobs", bad}, Want: bad + ":1: got 3 fields, want name, model, in and out"},
		cmdtest.Refusal{Args: nil, Want: "give folders of cases, or --jobs LIST", Usage: true},
		cmdtest.Refusal{Args: []string{"--jobs", file, dir}, Want: "give folders of cases, or --jobs LIST", Usage: true},
	)
}
