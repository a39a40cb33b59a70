package cli

import (
	"os"
	"testing"
)

// TestCheckOutput tests that a user's input is not overwritten, also under another name.
func TestCheckOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"model", "data"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("data", "link"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for name, want := range map[string]string{
		"":        "",
		"new":     "",
		"model":   "",
		".":       "-o . is a folder, want a file",
		"data":    "-o data would replace the input data: give another file",
		"./data":  "-o ./data would replace the input data: give another file",
		"link":    "-o link would replace the input data: give another file",
		"no/such": "",
	} {
		err := CheckOutput("-o", name, "", "data", "gone")
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

// TestCheckBinary: a program is not put in the place of a device.
func TestCheckBinary(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := CheckBinary("-o", os.DevNull); err == nil || err.Error() != "-o "+os.DevNull+" is a device or a pipe, want a file" {
		t.Errorf("a device: %v", err)
	}
	if err := CheckBinary("-o", "new"); err != nil {
		t.Error(err)
	}
	if err := CheckBinary("-o", "."); err == nil || err.Error() != "-o . is a folder, want a file" {
		t.Errorf("a folder: %v", err)
	}
}
