package trust

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

const keyType = "PRIVATE KEY" // PKCS #8

// Largest sizes of files: of a key, and of a list of peers.
const maxKey, maxList = 1 << 20, 64 << 20

// NewKey writes a new key to a file that must not exist. Only its owner can read the file.
func NewKey(file string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return key, writeKey(file, key)
}

func writeKey(file string, key ed25519.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, error(&fs.PathError{Op: "make a key", Path: file, Err: fs.ErrExist}))
	}
	return disk.Write(disk.OS, file, 0o600, pem.EncodeToMemory(&pem.Block{Type: keyType, Bytes: der}))
}

// ReadKey reads a key. It refuses a key that other users can read, as it proves nothing.
func ReadKey(file string) (ed25519.PrivateKey, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder, want a file with a key", file)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && modesCount {
		return nil, fmt.Errorf("%s: others may read it (mode %o); if it is still secret: chmod 600 %s", file, mode, file)
	}
	b, err := readSome(file, maxKey)
	if err != nil {
		return nil, err
	}
	p, _ := pem.Decode(b)
	if p == nil || p.Type != keyType {
		return nil, fmt.Errorf("%s: no key in PEM (%s): put a backup in its place; the command keygen makes another key, of another peer", file, keyType)
	}
	k, err := x509.ParsePKCS8PrivateKey(p.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: the key is damaged: %w: put a backup in its place", file, err)
	}
	key, ok := k.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: a key of type %T, want Ed25519", file, k)
	}
	return key, nil
}

// readSome reads a file, or a pipe, that has no more than most bytes.
func readSome(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s has more than %d bytes", file, most)
	}
	return b, err
}

// ReadOrMakeKey reads a key, or makes one if the file is not there.
func ReadOrMakeKey(file string) (ed25519.PrivateKey, error) {
	key, err := ReadKey(file)
	if errors.Is(err, fs.ErrNotExist) {
		return NewKey(file)
	}
	return key, err
}

// LoadKey reads a key. If the file is missing, it makes the folder and the key.
func LoadKey(file string) (ed25519.PrivateKey, error) {
	if err := disk.OS.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("a place for the key: %w", err)
	}
	return ReadOrMakeKey(file)
}

// IDOf returns the peer id of a key.
func IDOf(key ed25519.PrivateKey) wire.PeerID {
	id, err := wire.PeerIDOf(key.Public().(ed25519.PublicKey))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return id
}
