package kills

import (
	"io"
	"os"
	"strings"
)

// buildMark begins what stands behind a copy of the test's binary that is to be another
// build. What stands behind an executable does not matter to the system.
const buildMark = "\nBBGEN TEST BUILD "

// CopyAs copies the test's binary to a file that is another build of it.
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

// buildID is what [CopyAs] has written behind the binary of this process.
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
