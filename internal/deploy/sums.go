package deploy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SumsFile is the list of checksums of a release, which "sha256sum -c" reads.
const SumsFile = "SHA256SUMS"

// maxSums is how large a list of checksums may be.
const maxSums = 1 << 20

// sums are the checksums of all files in a folder but the list and its signature, in the
// order of their names.
func sums(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, e := range entries {
		if isSums(e.Name()) {
			continue
		}
		sum, err := sumOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s  %s\n", sum, e.Name())
	}
	return out.Bytes(), nil
}

// isSums reports whether a file is the list of checksums, or belongs to it.
func isSums(name string) bool {
	return name == SumsFile || name == SignatureFile || name == PublicKeyFile
}

func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// checkSums compares the files of a release with its list: each file is in the list, and is
// what the list says.
func checkSums(dir string, list []byte) (files int, err error) {
	if len(list) > maxSums {
		return 0, fmt.Errorf("%s has %d bytes, want at most %d", SumsFile, len(list), maxSums)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(sum) != 2*sha256.Size || filepath.Base(name) != name {
			return 0, fmt.Errorf("%s: found %q, want a SHA-256 and the name of a file", SumsFile, line)
		}
		want[name] = sum
	}
	var wrong []error
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if !isSums(e.Name()) && want[e.Name()] == "" {
			wrong = append(wrong, fmt.Errorf("%s is not in %s: it does not belong to the release", e.Name(), SumsFile))
		}
	}
	for line := range strings.Lines(string(list)) {
		_, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		got, err := sumOf(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, fmt.Errorf("%s is missing", name))
		case err != nil:
			wrong = append(wrong, err)
		case got != want[name]:
			wrong = append(wrong, fmt.Errorf("%s has SHA-256 %s, want %s: it was changed or damaged, get it again", name, got, want[name]))
		}
	}
	return len(want), errors.Join(wrong...)
}
