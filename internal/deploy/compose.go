package deploy

// closedDir is a folder that only its owner may enter.
const closedDir = "compose/config"

// compose makes the file for "docker compose" and "podman compose". They mount configuration files unchanged,
// for a user other than their owner, so a folder that only the owner may enter keeps them secret.
func compose(all []unit) ([]manifest, error) {
	text, err := fill("compose.yaml", all)
	if err != nil {
		return nil, err
	}
	files := []manifest{{"compose/compose.yaml", text, open}}
	for i := range all {
		for _, m := range all[i].Peers {
			if m.Config != "" {
				files = append(files, manifest{closedDir + "/" + m.Name + ".json", m.Config, open})
			}
		}
	}
	return files, nil
}
