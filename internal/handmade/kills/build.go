package kills

import (
	"io"
	"os"
	"strings"
)

// buildMark begins the suffix that makes a copy of the test's binary a different build. The system ignores
// bytes after an executable.
const buildMark = "\nBBGEN TEST BUILD "

// CopyAs copies the test's binary to a file with a different build ID.
func CopyAs(file, build string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, buildMark+build...), 0o700)
}

// buildID returns the suffix that [CopyAs] has appended to the binary of this process.
func buildID() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(self)
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Seek(-64, io.SeekEnd); err != nil {
		return ""
	}
	end, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	_, build, _ := strings.Cut(string(end), buildMark)
	return build
}
