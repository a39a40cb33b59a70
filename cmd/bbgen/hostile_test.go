package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileCommandLines: each mistake of a command line has a short error that names what it is about, and ends with the
// status of its kind: 2 for the command line itself, 1 for what it names.
func TestHostileCommandLines(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, content := range map[string]string{"empty.onnx": "", "text.onnx": "hello, world\n", "file": "", "bad.ir": "module"} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder.onnx", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop.onnx", "loop.onnx"); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string // part of the error
	}{
		{[]string{"missing.onnx", "-o", "out"}, 1, "missing.onnx"},
		{[]string{"empty.onnx", "-o", "out"}, 1, "empty.onnx: the file is empty"},
		{[]string{"text.onnx", "-o", "out"}, 1, "text.onnx: not an ONNX model"},
		{[]string{"folder.onnx", "-o", "out"}, 1, "folder.onnx"},
		{[]string{"loop.onnx", "-o", "out"}, 1, "loop.onnx"},
		{[]string{"a\x00b.onnx", "-o", "out"}, 1, "b.onnx"},
		{[]string{strings.Repeat("a", 5000) + ".onnx", "-o", "out"}, 1, "aaaa"},
		{[]string{"", "-o", "out"}, 2, ""},
		{[]string{"text.onnx", "-o"}, 2, "-o"},
		{[]string{"text.onnx", "-o", "out", "--no-such-flag"}, 2, "--no-such-flag"},
		{[]string{"text.onnx", "other.onnx", "-o", "out"}, 2, ""},
		{[]string{"build"}, 2, "INPUT"},
		{[]string{"inspect", "missing.onnx"}, 1, "missing.onnx"},
		{[]string{"cost", "folder.onnx"}, 1, "folder.onnx"},
		{[]string{"view", "empty.onnx"}, 1, "empty.onnx"},
	} {
		var stdout, stderr bytes.Buffer
		verb, err := execute(tt.args, &stdout, &stderr)
		code := exitCode(verb, err, &stderr)
		got := stderr.String()
		if code != tt.code && !(tt.args[0] == "" && code > 0) || !strings.Contains(got, tt.want) || !strings.HasPrefix(got, "bbgen: ") {
			t.Errorf("%.80q: got status %d and %.300q, want %d and %q", tt.args, code, got, tt.code, tt.want)
		}
		if strings.Contains(got, "internal error") || len(got) > 1500 || stdout.Len() > 0 {
			t.Errorf("%.80q: writes %.300q and %d bytes of output", tt.args, got, stdout.Len())
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Fatalf("%.80q: leaves a folder", tt.args)
		}
	}
}
