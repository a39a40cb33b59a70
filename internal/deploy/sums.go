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
	"slices"
	"strings"
)

// SumsFile is the list of checksums of a release, in the format of "sha256sum -c".
const SumsFile = "SHA256SUMS"

// maxSums is the largest size of a list of checksums.
const maxSums = 1 << 20

// sums returns the checksums of all files in a folder except the list and its signature, sorted by name.
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
		fmt.Fprintf(&out, "%x  %s\n", sum, e.Name())
	}
	return out.Bytes(), nil
}

// isSums reports whether a file is the list of checksums or its signature.
func isSums(name string) bool {
	return name == SumsFile || name == SignatureFile || name == PublicKeyFile
}

// sumOf returns the SHA-256 of a file.
func sumOf(file string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	h.Sum(sum[:0])
	return sum, err
}

// fileSum is a line of the list of checksums.
type fileSum struct{ sum, name string }

// readSums reads a list of checksums.
func readSums(list []byte) (all []fileSum, err error) {
	if len(list) > maxSums {
		return nil, fmt.Errorf("%s has %d bytes, want at most %d", SumsFile, len(list), maxSums)
	}
	for line := range strings.Lines(string(list)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(sum) != 2*sha256.Size || filepath.Base(name) != name {
			return nil, fmt.Errorf("%s: found %q, want a SHA-256 and the name of a file", SumsFile, line)
		}
		all = append(all, fileSum{sum, name})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s lists no file: it is no release, or was cut off", SumsFile)
	}
	return all, nil
}

// checkSums compares the files of a release with its list: each file must be listed and match. It returns the
// number of files.
func checkSums(dir string, list []byte) (int, error) {
	all, err := readSums(list)
	if err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var wrong []error
	for _, e := range entries {
		if !isSums(e.Name()) && !slices.ContainsFunc(all, func(s fileSum) bool { return s.name == e.Name() }) {
			wrong = append(wrong, fmt.Errorf("%s is not in %s: it does not belong to the release", e.Name(), SumsFile))
		}
	}
	for _, want := range all {
		switch sum, err := sumOf(filepath.Join(dir, want.name)); {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, fmt.Errorf("%s is missing", want.name))
		case err != nil:
			wrong = append(wrong, err)
		case hex.EncodeToString(sum[:]) != want.sum:
			wrong = append(wrong, fmt.Errorf("%s has SHA-256 %x, want %s: it was changed or damaged, get it again", want.name, sum, want.sum))
		}
	}
	return len(all), errors.Join(wrong...)
}
