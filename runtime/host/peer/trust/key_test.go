package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key.pem")
	key, err := NewKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ReadKey(file); err != nil || !key.Equal(got) {
		t.Errorf("another key comes back: %v", err)
	}
	if _, err := NewKey(file); err == nil {
		t.Error("a key is written over")
	}
	if modesCount {
		os.Chmod(file, 0o640)
		if _, err := ReadKey(file); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a key that others can read: %v", err)
		}
	}
	if _, err := ReadKey(filepath.Dir(file)); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	os.Remove(file)
	os.WriteFile(file, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600)
	if _, err := ReadKey(file); err == nil {
		t.Error("a damaged key is read")
	}
}
