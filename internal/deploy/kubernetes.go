package deploy

import "fmt"

// maxUnit is the largest length of a StatefulSet's name: its pods have a label with the name and a hash.
const maxUnit = 52

// kubernetes makes a file for each class, one for the network, and one with secrets.
func kubernetes(all []unit) ([]manifest, error) {
	var files []manifest
	for i := range all {
		u := &all[i]
		if len(u.Name) > maxUnit || u.Name[0] < 'a' || u.Name[0] > 'z' {
			return nil, fmt.Errorf("%s is no name for Kubernetes, want one that begins with a letter and has at most %d of them: name the program or the class otherwise", u.Name, maxUnit)
		}
		name := "kubernetes-peer.yaml"
		if u.Model {
			name = "kubernetes-model.yaml"
		}
		text, err := fill(name, u)
		if err != nil {
			return nil, err
		}
		files = append(files, manifest{"k8s/" + u.Name + ".yaml", text, open})
	}
	network, err := fill("kubernetes-network.yaml", all[0])
	if err != nil {
		return nil, err
	}
	files = append(files, manifest{"k8s/network.yaml", network, open})
	if all[0].Model {
		return files, nil
	}
	text, err := fill("kubernetes-secret.yaml", all)
	return append(files, manifest{"k8s/secret.yaml", text, secret}), err
}
