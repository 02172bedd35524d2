"""What mjsim is made of and shipped as: licences, known vulnerabilities, wheels."""
