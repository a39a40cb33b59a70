package nats

import (
	"os"

	natsgo "github.com/nats-io/nats.go"
)

// credentials returns the peer's credentials for the broker, from the environment. They are only for the
// broker; peers identify each other by their keys.
func credentials() ([]natsgo.Option, error) {
	var o []natsgo.Option
	if file := os.Getenv("NATS_CREDS"); file != "" {
		o = append(o, natsgo.UserCredentials(file))
	}
	if file := os.Getenv("NATS_NKEY"); file != "" {
		seed, err := natsgo.NkeyOptionFromSeed(file)
		if err != nil {
			return nil, err
		}
		o = append(o, seed)
	}
	if user := os.Getenv("NATS_USER"); user != "" {
		o = append(o, natsgo.UserInfo(user, os.Getenv("NATS_PASSWORD")))
	}
	if token := os.Getenv("NATS_TOKEN"); token != "" {
		o = append(o, natsgo.Token(token))
	}
	if file := os.Getenv("NATS_CA"); file != "" {
		o = append(o, natsgo.RootCAs(file))
	}
	if file := os.Getenv("NATS_CERT"); file != "" {
		o = append(o, natsgo.ClientCert(file, os.Getenv("NATS_KEY")))
	}
	return o, nil
}
