package deploy

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files next to the checksums of a signed release.
const (
	SignatureFile = SumsFile + ".sig" // of Ed25519, 64 bytes
	PublicKeyFile = SumsFile + ".pub" // PEM, for distribution over another channel: in this place it proves nothing
)

// sign signs the list of checksums of a release.
func sign(dir string, key ed25519.PrivateKey) error {
	list, err := os.ReadFile(filepath.Join(dir, SumsFile))
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	return errors.Join(
		os.WriteFile(filepath.Join(dir, SignatureFile), ed25519.Sign(key, list), 0o644),
		os.WriteFile(filepath.Join(dir, PublicKeyFile), public, 0o644),
	)
}

// ReadPublicKey reads the public key of a signer, in PEM.
func ReadPublicKey(file string) (ed25519.PublicKey, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(b)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, fmt.Errorf("%s: found no public key in PEM, want %s of a release that you trust, or what \"openssl pkey -pubout\" prints", file, PublicKeyFile)
	}
	k, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	key, ok := k.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%s: found a key of type %T, want Ed25519", file, k)
	}
	return key, nil
}

// Verify checks the files of a release against its checksums, and with a key also the signature of these. It
// returns the number of files.
func Verify(dir string, key ed25519.PublicKey) (files int, err error) {
	list, err := os.ReadFile(filepath.Join(dir, SumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s: found no %s, want the folder of a release", dir, SumsFile)
	}
	if err != nil {
		return 0, err
	}
	if key != nil {
		signature, err := os.ReadFile(filepath.Join(dir, SignatureFile))
		if errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("%s: found no %s: the release is not signed", dir, SignatureFile)
		}
		if err != nil {
			return 0, err
		}
		if !ed25519.Verify(key, list, signature) {
			return 0, fmt.Errorf("%s: the signature is not of this key and these checksums: do not run these files", dir)
		}
	}
	files, err = checkSums(dir, list)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	return files, nil
}
